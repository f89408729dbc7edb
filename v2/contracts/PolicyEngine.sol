// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IPolicyEngine} from "./IPolicyEngine.sol";

/// @title The fence around an agent account
/// @notice Four lists that a call has to be on at once. All are empty at first:
/// a new policy allows nothing. A selector is allowed for every allowed target,
/// so list targets that mean the same by a selector.
contract PolicyEngine is IPolicyEngine, Ownable2Step {
    /// @notice The most native currency that one call may carry, in wei.
    uint256 public maxValuePerTx;

    mapping(address module => bool) public allowedModules;
    mapping(address target => bool) public allowedTargets;
    mapping(bytes4 selector => bool) public allowedSelectors;

    event ModuleAllowed(address indexed module, bool allowed);
    event TargetAllowed(address indexed target, bool allowed);
    event SelectorAllowed(bytes4 indexed selector, bool allowed);
    event MaxValuePerTxSet(uint256 maxValue);

    error ModuleNotAllowed(address module);
    error TargetNotAllowed(address target);
    error SelectorNotAllowed(bytes4 selector);
    error ValueAboveMax(uint256 value, uint256 maxValue);

    /// @notice The policy keeps an owner: somebody has to be able to narrow it.
    error RenouncingDisabled();

    constructor(address owner_) Ownable(owner_) {}

    function setMaxValuePerTx(uint256 maxValue) external onlyOwner {
        maxValuePerTx = maxValue;
        emit MaxValuePerTxSet(maxValue);
    }

    function setModuleAllowed(address module, bool allowed) external onlyOwner {
        allowedModules[module] = allowed;
        emit ModuleAllowed(module, allowed);
    }

    function setTargetAllowed(address target, bool allowed) external onlyOwner {
        allowedTargets[target] = allowed;
        emit TargetAllowed(target, allowed);
    }

    function setSelectorAllowed(bytes4 selector, bool allowed) external onlyOwner {
        allowedSelectors[selector] = allowed;
        emit SelectorAllowed(selector, allowed);
    }

    /// @inheritdoc IPolicyEngine
    function preCheck(address module, address target, bytes4 selector, uint256 value) external view {
        if (!allowedModules[module]) revert ModuleNotAllowed(module);
        if (!allowedTargets[target]) revert TargetNotAllowed(target);
        if (!allowedSelectors[selector]) revert SelectorNotAllowed(selector);
        if (value > maxValuePerTx) revert ValueAboveMax(value, maxValuePerTx);
    }

    function renounceOwnership() public view override onlyOwner {
        revert RenouncingDisabled();
    }
}
