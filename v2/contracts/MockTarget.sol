// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {Address} from "@openzeppelin/contracts/utils/Address.sol";

/// @title Something for an agent account to call where nothing real is
/// @notice For the sandbox and for tests: keeps, gives back or refuses what it
/// is sent, and says who called. What it keeps nobody gets out again.
contract MockTarget {
    /// @notice How often it was called with success.
    uint256 public calls;

    event Called(address indexed caller, bytes4 indexed selector, uint256 value);

    error Refused(uint256 code);

    /// @notice Keeps the value and answers with the note.
    function ping(bytes32 note) external payable returns (bytes32) {
        _count();
        return note;
    }

    /// @notice Keeps half of the value and gives the rest back to the caller.
    function keepHalf() external payable returns (uint256 kept) {
        _count();
        kept = msg.value / 2;
        Address.sendValue(payable(msg.sender), msg.value - kept);
    }

    /// @notice Reverts with a sentence.
    function fail(string calldata reason) external payable {
        revert(reason);
    }

    /// @notice Reverts with a custom error.
    function refuse(uint256 code) external payable {
        revert Refused(code);
    }

    function _count() private {
        ++calls;
        emit Called(msg.sender, msg.sig, msg.value);
    }
}
