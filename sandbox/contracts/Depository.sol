// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// @title The depository of the ape-claw sandbox's bridge
/// @notice Takes deposits under the id of a transfer, with the functions and
/// events of Relay's depository. It never pays out: the bridge fills and refunds
/// from an account of its own, and nothing here is worth anything.
contract Depository {
    using SafeERC20 for IERC20;

    event RelayNativeDeposit(address from, uint256 amount, bytes32 id);
    event RelayErc20Deposit(address from, address token, uint256 amount, bytes32 id);

    /// @notice Deposits the value of the call.
    function depositNative(address depositor, bytes32 id) external payable {
        emit RelayNativeDeposit(depositor == address(0) ? msg.sender : depositor, msg.value, id);
    }

    /// @notice Deposits an amount of a token that the caller has approved.
    function depositErc20(address depositor, address token, uint256 amount, bytes32 id) external {
        IERC20(token).safeTransferFrom(msg.sender, address(this), amount);
        emit RelayErc20Deposit(depositor == address(0) ? msg.sender : depositor, token, amount, id);
    }
}
