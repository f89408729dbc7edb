// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";

/// @title The published versions of skills
/// @notice A list that only grows: what was published can't be changed or taken
/// back, so that a hash which somebody relied on stays where it was.
contract SkillRegistry {
    struct Version {
        bytes32 versionHash;
        bytes32 contentHash;
        string uri;
        uint8 riskTier;
        uint64 publishedAt;
        address publisher;
    }

    /// @notice The longest URI taken, in bytes; readers need not bear more.
    uint256 public constant MAX_URI_LENGTH = 2048;

    /// @notice Risk tiers go from 1, harmless, to this.
    uint8 public constant MAX_RISK_TIER = 3;

    /// @notice The tokens whose owners may publish.
    IERC721 public immutable skillNft;

    mapping(uint256 skillId => Version[]) private _versions;

    /// @notice Whether a skill has a version with this hash.
    mapping(uint256 skillId => mapping(bytes32 versionHash => bool)) public isPublished;

    event SkillVersionPublished(
        uint256 indexed skillId,
        bytes32 indexed versionHash,
        bytes32 indexed contentHash,
        address publisher,
        string uri,
        uint8 riskTier
    );

    /// @notice There is no contract at the address given for the tokens.
    error InvalidSkillNft(address skillNft);

    /// @notice Only the skill's owner, or who they approved, may publish.
    error NotSkillOwnerOrApproved(uint256 skillId, address caller);

    /// @notice The skill has a version with this hash: publish a new version.
    error VersionAlreadyPublished(uint256 skillId, bytes32 versionHash);

    /// @notice Zero is not the hash of a version.
    error ZeroVersionHash();

    /// @notice The tier is not 1, 2 or 3.
    error InvalidRiskTier(uint8 riskTier);

    /// @notice The URI is longer than MAX_URI_LENGTH.
    error UriTooLong(uint256 length);

    /// @notice The skill has fewer versions than that.
    error VersionNotFound(uint256 skillId, uint256 index);

    constructor(IERC721 skillNft_) {
        if (address(skillNft_).code.length == 0) revert InvalidSkillNft(address(skillNft_));
        skillNft = skillNft_;
    }

    /// @notice Adds a version to a skill.
    /// @param versionHash keccak256 of the version's name; once a skill.
    /// @param contentHash keccak256 of the card's canonical JSON.
    function publishVersion(
        uint256 skillId,
        bytes32 versionHash,
        bytes32 contentHash,
        string calldata uri,
        uint8 riskTier
    ) external {
        if (!_mayPublish(skillId)) revert NotSkillOwnerOrApproved(skillId, msg.sender);
        if (versionHash == 0) revert ZeroVersionHash();
        if (riskTier == 0 || riskTier > MAX_RISK_TIER) revert InvalidRiskTier(riskTier);
        if (bytes(uri).length > MAX_URI_LENGTH) revert UriTooLong(bytes(uri).length);
        if (isPublished[skillId][versionHash]) revert VersionAlreadyPublished(skillId, versionHash);

        isPublished[skillId][versionHash] = true;
        _versions[skillId].push(
            Version(versionHash, contentHash, uri, riskTier, uint64(block.timestamp), msg.sender)
        );
        emit SkillVersionPublished(skillId, versionHash, contentHash, msg.sender, uri, riskTier);
    }

    /// @notice How many versions a skill has; 0 for one that does not exist.
    function versionCount(uint256 skillId) external view returns (uint256) {
        return _versions[skillId].length;
    }

    /// @notice A version by its place, the oldest first, from 0.
    function getVersion(uint256 skillId, uint256 index)
        external
        view
        returns (
            bytes32 versionHash,
            bytes32 contentHash,
            string memory uri,
            uint8 riskTier,
            uint64 publishedAt,
            address publisher
        )
    {
        if (index >= _versions[skillId].length) revert VersionNotFound(skillId, index);
        Version storage v = _versions[skillId][index];
        return (v.versionHash, v.contentHash, v.uri, v.riskTier, v.publishedAt, v.publisher);
    }

    /// @dev ownerOf reverts for a skill that does not exist.
    function _mayPublish(uint256 skillId) private view returns (bool) {
        address owner = skillNft.ownerOf(skillId);
        return msg.sender == owner || skillNft.getApproved(skillId) == msg.sender
            || skillNft.isApprovedForAll(owner, msg.sender);
    }
}
