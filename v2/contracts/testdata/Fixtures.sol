// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC721Receiver} from "@openzeppelin/contracts/token/ERC721/IERC721Receiver.sol";

/// @notice A token that can be told to misbehave.
contract Token is ERC20 {
    enum Mode { Honest, FeeOnTop, FeeOnTransfer, Frozen, Refusing }

    Mode public mode;

    constructor() ERC20("Token", "TOK") {}

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function burn(address from, uint256 amount) external {
        _burn(from, amount);
    }

    function setMode(Mode mode_) external {
        mode = mode_;
    }

    function transfer(address to, uint256 amount) public override returns (bool) {
        if (mode == Mode.Frozen) return true;
        if (mode == Mode.Refusing) return false;
        if (mode == Mode.FeeOnTop) _burn(msg.sender, amount / 10);
        super.transfer(to, amount);
        if (mode == Mode.FeeOnTransfer) _burn(to, amount / 10);
        return true;
    }
}

/// @notice A contract that calls whatever it is told to, by anybody, and takes
/// or refuses what it is sent.
contract Wallet is IERC721Receiver {
    bool public refusing;

    error NoThanks();

    receive() external payable {
        if (refusing) revert NoThanks();
    }

    function setRefusing(bool refusing_) external {
        refusing = refusing_;
    }

    function call(address target, uint256 value, bytes calldata data) external payable returns (bytes memory) {
        (bool ok, bytes memory result) = target.call{value: value}(data);
        if (!ok) {
            assembly {
                revert(add(result, 32), mload(result))
            }
        }
        return result;
    }

    function onERC721Received(address, address, uint256, bytes calldata) external view returns (bytes4) {
        return refusing ? bytes4(0) : IERC721Receiver.onERC721Received.selector;
    }
}

