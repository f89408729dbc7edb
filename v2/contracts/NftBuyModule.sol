// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {SkillModule} from "./SkillModule.sol";

/// @title The module for buying NFTs
/// @notice What it does is in SkillModule. It is a contract of its own so that a
/// policy can allow it, or not, by itself, and so that its event says what for.
contract NftBuyModule is SkillModule {
    event NftBuyExecuted(address indexed agent, address indexed target, bytes4 indexed selector, uint256 value);

    function _executed(address agent, address target, bytes4 selector, uint256 value) internal override {
        emit NftBuyExecuted(agent, target, selector, value);
    }
}
