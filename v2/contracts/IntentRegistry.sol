// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/// @title Intents: what an agent says it is going to do
/// @notice An intent is a hash with an author and an end. It gives nobody a
/// right to anything; it only says, before the fact, what was meant.
contract IntentRegistry {
    struct Intent {
        bytes32 intentHash;
        address creator;
        uint64 expiresAt;
        bool cancelled;
    }

    /// @notice The id that the next intent gets; see SkillNFT.nextSkillId.
    uint256 public nextIntentId = 1;

    /// @notice An intent by its id; all zero for one that does not exist.
    mapping(uint256 intentId => Intent) public intents;

    event IntentCreated(
        uint256 indexed intentId, address indexed creator, bytes32 indexed intentHash, uint64 expiresAt
    );
    event IntentCancelled(uint256 indexed intentId, address indexed creator);

    /// @notice Zero is not the hash of an intent.
    error ZeroIntentHash();

    /// @notice An intent would have been over when it was made.
    error ExpiryInPast(uint64 expiresAt, uint256 blockTimestamp);

    error IntentNotFound(uint256 intentId);

    /// @notice Only who created the intent may cancel it.
    error NotIntentCreator(uint256 intentId, address caller);

    error IntentAlreadyCancelled(uint256 intentId);

    /// @notice Records an intent of the caller's.
    /// @param expiresAt The second at which it is over; 0 is never.
    function createIntent(bytes32 intentHash, uint64 expiresAt) external returns (uint256 intentId) {
        if (intentHash == 0) revert ZeroIntentHash();
        if (expiresAt != 0 && expiresAt <= block.timestamp) revert ExpiryInPast(expiresAt, block.timestamp);
        intentId = nextIntentId++;
        intents[intentId] = Intent(intentHash, msg.sender, expiresAt, false);
        emit IntentCreated(intentId, msg.sender, intentHash, expiresAt);
    }

    /// @notice Takes an intent back. One that is over may be cancelled too: it
    /// says that it was not carried out.
    function cancelIntent(uint256 intentId) external {
        Intent storage intent = intents[intentId];
        if (intent.creator == address(0)) revert IntentNotFound(intentId);
        if (intent.creator != msg.sender) revert NotIntentCreator(intentId, msg.sender);
        if (intent.cancelled) revert IntentAlreadyCancelled(intentId);
        intent.cancelled = true;
        emit IntentCancelled(intentId, msg.sender);
    }

    /// @notice Whether an intent exists, was not cancelled and is not over.
    function isActive(uint256 intentId) external view returns (bool) {
        Intent storage intent = intents[intentId];
        return intent.creator != address(0) && !intent.cancelled
            && (intent.expiresAt == 0 || block.timestamp < intent.expiresAt);
    }
}
