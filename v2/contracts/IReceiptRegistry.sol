// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/// @notice What an agent account asks of a receipt registry.
interface IReceiptRegistry {
    function recordReceipt(bytes32 traceIdHash, bytes32 contentHash, bytes32 subject, string calldata uri) external;

    function isRecorded(bytes32 traceIdHash) external view returns (bool);
}
