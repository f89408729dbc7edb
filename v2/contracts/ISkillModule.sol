// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/// @notice A way in which an agent account calls others.
interface ISkillModule {
    /// @param agentAccount The caller, to whom what is left over goes back.
    /// @param input abi.encode(address target, bytes data)
    /// @return What the target returned.
    function execute(address agentAccount, bytes calldata input) external payable returns (bytes memory);
}
