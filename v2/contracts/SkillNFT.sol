// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC721Utils} from "@openzeppelin/contracts/token/ERC721/utils/ERC721Utils.sol";
import {ERC2981} from "@openzeppelin/contracts/token/common/ERC2981.sol";

/// @title A skill as a token
/// @notice Whoever owns a token owns the skill: may publish its versions (see
/// SkillRegistry) and set its royalty. Anyone may mint; nobody has a privilege
/// that outlives ownership, and there is no administrator.
contract SkillNFT is ERC721, ERC2981 {
    /// @notice The id that the next mint gets. It moves as others mint: who
    /// wants to know which id they got reads it from their own event.
    uint256 public nextSkillId = 1;

    /// @notice The skill that one was made from; 0 is none.
    mapping(uint256 skillId => uint256) public parentSkillId;

    event SkillMinted(uint256 indexed skillId, address indexed owner, uint256 indexed parentId);
    event SkillRoyaltySet(uint256 indexed skillId, address indexed receiver, uint96 feeNumerator);

    /// @notice The parent named has not been minted.
    error ParentSkillNotFound(uint256 parentId);

    /// @notice Only the skill's owner may do this; an approved account may not.
    error NotSkillOwner(uint256 skillId, address caller);

    constructor() ERC721("ApeClaw Skill", "ACSKILL") {}

    /// @notice Mints a skill without a royalty to the caller.
    function mintSkill(uint256 parentId) external returns (uint256 skillId) {
        skillId = _create(parentId);
        _requireReceiver(skillId);
    }

    /// @notice Mints a skill to the caller and sets its royalty at once.
    /// @param feeNumerator In 10,000ths of a sale's price.
    function mintSkillWithRoyalty(uint256 parentId, address receiver, uint96 feeNumerator)
        external
        returns (uint256 skillId)
    {
        skillId = _create(parentId);
        _setRoyalty(skillId, receiver, feeNumerator);
        _requireReceiver(skillId);
    }

    /// @notice Sets the royalty of a skill; 0 as the numerator ends it.
    function setSkillRoyalty(uint256 skillId, address receiver, uint96 feeNumerator) external {
        if (_requireOwned(skillId) != msg.sender) revert NotSkillOwner(skillId, msg.sender);
        _setRoyalty(skillId, receiver, feeNumerator);
    }

    function supportsInterface(bytes4 id) public view override(ERC721, ERC2981) returns (bool) {
        return super.supportsInterface(id);
    }

    function _create(uint256 parentId) private returns (uint256 skillId) {
        if (parentId != 0 && _ownerOf(parentId) == address(0)) revert ParentSkillNotFound(parentId);
        skillId = nextSkillId++;
        parentSkillId[skillId] = parentId;
        _mint(msg.sender, skillId);
        emit SkillMinted(skillId, msg.sender, parentId);
    }

    function _setRoyalty(uint256 skillId, address receiver, uint96 feeNumerator) private {
        _setTokenRoyalty(skillId, receiver, feeNumerator);
        emit SkillRoyaltySet(skillId, receiver, feeNumerator);
    }

    /// @dev The last step of a mint, since it may call the caller back: a
    /// contract that can't move a token would keep the skill for ever.
    function _requireReceiver(uint256 skillId) private {
        ERC721Utils.checkOnERC721Received(msg.sender, address(0), msg.sender, skillId, "");
    }
}
