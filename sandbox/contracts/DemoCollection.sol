// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC2981} from "@openzeppelin/contracts/token/common/ERC2981.sol";
import {Base64} from "@openzeppelin/contracts/utils/Base64.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";

/// @title A demo collection of the ape-claw sandbox
/// @notice Mints its whole supply to one holder when it is created, pays a
/// royalty to the creator (EIP-2981), and draws its pictures itself: tokenURI
/// is a data URI, so that nothing outside the chain is ever asked.
contract DemoCollection is ERC721, ERC2981 {
    using Strings for uint256;

    /// @notice Tokens are numbered 1 to totalSupply.
    uint256 public immutable totalSupply;

    /// @notice What one token is called, before its number.
    string public single;

    /// @notice The figure in the middle of every picture.
    string public glyph;

    constructor(
        string memory name_,
        string memory symbol_,
        string memory single_,
        string memory glyph_,
        uint256 supply,
        address holder,
        address creator,
        uint96 royaltyBps
    ) ERC721(name_, symbol_) {
        totalSupply = supply;
        single = single_;
        glyph = glyph_;
        _setDefaultRoyalty(creator, royaltyBps);
        for (uint256 id = 1; id <= supply; ++id) {
            _mint(holder, id);
        }
    }

    /// @notice Name, picture and traits of a token as a data URI.
    function tokenURI(uint256 id) public view override returns (string memory) {
        _requireOwned(id);
        return string.concat("data:application/json;base64,", Base64.encode(_metadata(id)));
    }

    function supportsInterface(bytes4 id) public view override(ERC721, ERC2981) returns (bool) {
        return super.supportsInterface(id);
    }

    function _metadata(uint256 id) private view returns (bytes memory) {
        (string memory treat, string memory treatName) = _treat(_dna(id) >> 16);
        return abi.encodePacked(
            '{"name":"', single, " #", id.toString(),
            '","description":"Lives in the ape-claw sandbox. Worth nothing, and priceless.","image":"data:image/svg+xml;base64,',
            Base64.encode(_svg(id, treat)),
            '","attributes":[{"trait_type":"Holds","value":"', treatName, '"}]}'
        );
    }

    function _svg(uint256 id, string memory treat) private view returns (bytes memory) {
        uint256 hue = _dna(id) % 360;
        return abi.encodePacked(
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 320" text-anchor="middle"><defs><linearGradient id="g" x2="1" y2="1"><stop stop-color="hsl(',
            hue.toString(), ',80%,72%)"/><stop offset="1" stop-color="hsl(',
            ((hue + 60) % 360).toString(), ',75%,52%)"/></linearGradient></defs><rect width="320" height="320" rx="28" fill="url(#g)"/><text x="160" y="212" font-size="150">',
            glyph, '</text><text x="236" y="262" font-size="68">', treat,
            '</text><text x="28" y="44" font-size="22" font-family="monospace" text-anchor="start" fill="#0009">#', id.toString(), "</text></svg>"
        );
    }

    function _treat(uint256 roll) private pure returns (string memory, string memory) {
        roll %= 100;
        if (roll < 40) return (unicode"🍌", "Banana");
        if (roll < 65) return (unicode"🥥", "Coconut");
        if (roll < 82) return (unicode"🎩", "Top hat");
        if (roll < 93) return (unicode"🪩", "Disco ball");
        if (roll < 99) return (unicode"💎", "Diamond");
        return (unicode"👑", "Crown");
    }

    function _dna(uint256 id) private view returns (uint256) {
        return uint256(keccak256(abi.encode(glyph, id)));
    }
}
