// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IReceiptRegistry} from "./IReceiptRegistry.sol";

/// @title Receipts: what was done, as a hash
/// @notice One receipt a trace, and the first writer wins. A trace belongs to
/// nobody, so a receipt means no more than its recorder does: readers check who
/// recorded it.
contract ReceiptRegistry is IReceiptRegistry {
    struct Receipt {
        bytes32 traceIdHash;
        bytes32 contentHash;
        bytes32 subject;
        string uri;
        uint64 recordedAt;
        address recorder;
    }

    /// @notice The longest URI taken, in bytes; readers need not bear more.
    uint256 public constant MAX_URI_LENGTH = 2048;

    mapping(bytes32 traceIdHash => Receipt) private _receipts;

    event ReceiptRecorded(
        bytes32 indexed traceIdHash,
        bytes32 indexed contentHash,
        bytes32 indexed subject,
        address recorder,
        string uri
    );

    /// @notice Zero is not the hash of a trace: it says that there is none.
    error ZeroTraceIdHash();

    /// @notice The trace has its receipt, which can't be changed.
    error ReceiptAlreadyRecorded(bytes32 traceIdHash, address recorder);

    error ReceiptNotFound(bytes32 traceIdHash);

    /// @notice The URI is longer than MAX_URI_LENGTH.
    error UriTooLong(uint256 length);

    /// @notice Records the receipt of a trace.
    /// @param traceIdHash keccak256 of the trace's id.
    /// @param contentHash keccak256 of the receipt's canonical JSON.
    /// @param subject keccak256 of whom it is about.
    function recordReceipt(bytes32 traceIdHash, bytes32 contentHash, bytes32 subject, string calldata uri) external {
        if (traceIdHash == 0) revert ZeroTraceIdHash();
        if (bytes(uri).length > MAX_URI_LENGTH) revert UriTooLong(bytes(uri).length);
        Receipt storage r = _receipts[traceIdHash];
        if (r.recorder != address(0)) revert ReceiptAlreadyRecorded(traceIdHash, r.recorder);
        _receipts[traceIdHash] =
            Receipt(traceIdHash, contentHash, subject, uri, uint64(block.timestamp), msg.sender);
        emit ReceiptRecorded(traceIdHash, contentHash, subject, msg.sender, uri);
    }

    /// @notice Whether a trace has a receipt.
    function isRecorded(bytes32 traceIdHash) external view returns (bool) {
        return _receipts[traceIdHash].recorder != address(0);
    }

    /// @notice The receipt of a trace, which has to have one.
    function getReceipt(bytes32 id)
        external
        view
        returns (
            bytes32 traceIdHash,
            bytes32 contentHash,
            bytes32 subject,
            string memory uri,
            uint64 recordedAt,
            address recorder
        )
    {
        Receipt storage r = _receipts[id];
        if (r.recorder == address(0)) revert ReceiptNotFound(id);
        return (r.traceIdHash, r.contentHash, r.subject, r.uri, r.recordedAt, r.recorder);
    }
}
