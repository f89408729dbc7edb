// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/// @notice What an agent account asks before it does anything.
interface IPolicyEngine {
    /// @notice Reverts if the call is not allowed.
    function preCheck(address module, address target, bytes4 selector, uint256 value) external view;
}
