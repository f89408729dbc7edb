// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

contract Mortal {
    function die() external {
        selfdestruct(payable(msg.sender));
    }
}

/// @title Makes a contract that trusts another, whose code is gone when the
/// transaction is over
contract Ghost {
    address public made;
    address public gone;

    /// @param prefix Init code and the arguments before the trusted address.
    /// @param suffix The arguments after it.
    function make(bytes calldata prefix, bytes calldata suffix) external {
        Mortal mortal = new Mortal();
        bytes memory code = abi.encodePacked(prefix, abi.encode(address(mortal)), suffix);
        address at;
        assembly {
            at := create(0, add(code, 32), mload(code))
        }
        require(at != address(0), "not made");
        (made, gone) = (at, address(mortal));
        mortal.die();
    }
}
