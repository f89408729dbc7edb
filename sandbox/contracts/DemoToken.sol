// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title A demo currency of the ape-claw sandbox
/// @notice An ERC-20 with as many decimals as asked for, whose whole supply
/// goes to one holder when it is created.
contract DemoToken is ERC20 {
    uint8 private immutable _places;

    constructor(string memory name_, string memory symbol_, uint8 places, uint256 supply, address holder)
        ERC20(name_, symbol_)
    {
        _places = places;
        _mint(holder, supply);
    }

    function decimals() public view override returns (uint8) {
        return _places;
    }
}
