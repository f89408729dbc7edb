// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {ISkillModule} from "./ISkillModule.sol";

/// @title What the modules have in common
/// @notice Calls one target with all of the value, and gives back what the
/// target sent back. A module holds nothing between calls: it has no storage, no
/// owner and takes native currency only while a call of its own runs. It never
/// holds tokens for anyone: targets have to be told the account as recipient.
abstract contract SkillModule is ISkillModule, ReentrancyGuardTransient {
    /// @notice An account can be executed for by itself only.
    error NotAgentAccount(address agentAccount, address caller);

    /// @notice The input is too short to be abi.encode(address, bytes).
    error MalformedInput();

    /// @notice The target's data has no selector.
    error MissingSelector();

    /// @notice Nothing is at the target: a call would succeed and do nothing.
    error TargetWithoutCode(address target);

    /// @notice The account would not take back what was left over.
    error RefundRefused(address agentAccount, uint256 amount);

    /// @notice Nothing is running that could send native currency back.
    error UnexpectedPayment(address from);

    /// @dev Only targets of a running call pay the module: what came at another
    /// time would go to whoever executes next.
    receive() external payable {
        if (!_reentrancyGuardEntered()) revert UnexpectedPayment(msg.sender);
    }

    /// @inheritdoc ISkillModule
    /// @dev Guarded: whoever the target calls could else take what it paid back
    /// by executing for themselves in between.
    function execute(address agentAccount, bytes calldata input)
        external
        payable
        nonReentrant
        returns (bytes memory result)
    {
        if (msg.sender != agentAccount) revert NotAgentAccount(agentAccount, msg.sender);
        if (input.length < 96) revert MalformedInput();
        (address target, bytes memory data) = abi.decode(input, (address, bytes));
        if (data.length < 4) revert MissingSelector();
        if (target.code.length == 0) revert TargetWithoutCode(target);

        result = Address.functionCallWithValue(target, data, msg.value);
        _executed(agentAccount, target, bytes4(data), msg.value);

        uint256 left = address(this).balance;
        if (left > 0) {
            (bool taken,) = agentAccount.call{value: left}("");
            if (!taken) revert RefundRefused(agentAccount, left);
        }
    }

    /// @dev Each module says in its own event what it did.
    function _executed(address agent, address target, bytes4 selector, uint256 value) internal virtual;
}
