// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";
import {ERC721Holder} from "@openzeppelin/contracts/token/ERC721/utils/ERC721Holder.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {Errors} from "@openzeppelin/contracts/utils/Errors.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {IPolicyEngine} from "./IPolicyEngine.sol";
import {IReceiptRegistry} from "./IReceiptRegistry.sol";
import {ISkillModule} from "./ISkillModule.sol";

/// @title An account that an agent spends from, inside a policy
/// @notice The owner executes skills through modules, each call checked by the
/// policy before it is made and recorded as a receipt after it. The owner may
/// replace the policy and withdraw: the policy bounds what a skill can do, not
/// what the owner can.
contract AgentAccount is Ownable2Step, ReentrancyGuardTransient, ERC721Holder {
    using SafeERC20 for IERC20;

    /// @notice Has the last word on every call.
    IPolicyEngine public policy;

    /// @notice Where receipts go; zero for nowhere.
    IReceiptRegistry public receipts;

    event SkillExecuted(
        bytes32 indexed traceIdHash,
        bytes32 indexed contentHash,
        address indexed module,
        address target,
        bytes4 selector,
        uint256 value,
        bool receiptRecorded
    );
    event PolicyEngineSet(address indexed policy);
    event ReceiptRegistrySet(address indexed receipts);
    event Deposited(address indexed from, uint256 amount);
    event NativeWithdrawn(address indexed to, uint256 amount);
    event TokenWithdrawn(address indexed token, address indexed to, uint256 amount);
    event NftWithdrawn(address indexed token, address indexed to, uint256 tokenId);

    /// @notice An account without a policy would allow everything or nothing.
    error InvalidPolicyEngine(address policy);

    error InvalidReceiptRegistry(address receipts);

    /// @notice Nothing is at the module: a call would not do what was checked.
    error ModuleWithoutCode(address module);

    /// @notice Nothing is at the target: a call would succeed and do nothing.
    error TargetWithoutCode(address target);

    /// @notice The input is too short to be abi.encode(address, bytes).
    error MalformedInput();

    /// @notice The target's data has no selector for the policy to check.
    error MissingSelector();

    /// @notice To nobody is not a withdrawal.
    error InvalidRecipient(address to);

    /// @notice The account keeps an owner: nobody else can withdraw.
    error RenouncingDisabled();

    constructor(address owner_, IPolicyEngine policy_, IReceiptRegistry receipts_) Ownable(owner_) {
        _setPolicyEngine(policy_);
        _setReceiptRegistry(receipts_);
    }

    receive() external payable {
        emit Deposited(msg.sender, msg.value);
    }

    /// @notice Calls a target through a module, if the policy allows it.
    /// @param input abi.encode(address target, bytes data)
    /// @param value What the call carries, from all that the account holds.
    /// @param traceIdHash The trace to record a receipt under; zero for none.
    /// @param subjectHash Whom the receipt is about.
    /// @return result What the target returned.
    function executeSkill(
        address module,
        bytes calldata input,
        uint256 value,
        bytes32 traceIdHash,
        bytes32 subjectHash,
        string calldata uri
    ) external payable onlyOwner nonReentrant returns (bytes memory result) {
        (address target, bytes4 selector) = _check(module, input, value);
        result = ISkillModule(module).execute{value: value}(address(this), input);
        bytes32 contentHash = keccak256(abi.encode(module, keccak256(input), value, keccak256(result)));
        bool recorded = _record(traceIdHash, contentHash, subjectHash, uri);
        emit SkillExecuted(traceIdHash, contentHash, module, target, selector, value, recorded);
    }

    function setPolicyEngine(IPolicyEngine policy_) external onlyOwner {
        _setPolicyEngine(policy_);
    }

    function setReceiptRegistry(IReceiptRegistry receipts_) external onlyOwner {
        _setReceiptRegistry(receipts_);
    }

    function withdrawNative(address payable to, uint256 amount) external onlyOwner nonReentrant {
        _requireRecipient(to);
        emit NativeWithdrawn(to, amount);
        Address.sendValue(to, amount);
    }

    function withdrawToken(IERC20 token, address to, uint256 amount) external onlyOwner nonReentrant {
        _requireRecipient(to);
        emit TokenWithdrawn(address(token), to, amount);
        token.safeTransfer(to, amount);
    }

    function withdrawNft(IERC721 token, address to, uint256 tokenId) external onlyOwner nonReentrant {
        emit NftWithdrawn(address(token), to, tokenId);
        token.safeTransferFrom(address(this), to, tokenId);
    }

    function renounceOwnership() public view override onlyOwner {
        revert RenouncingDisabled();
    }

    /// @dev All that has to hold before anything is called.
    function _check(address module, bytes calldata input, uint256 value)
        private
        view
        returns (address target, bytes4 selector)
    {
        if (input.length < 96) revert MalformedInput();
        bytes memory data;
        (target, data) = abi.decode(input, (address, bytes));
        if (data.length < 4) revert MissingSelector();
        selector = bytes4(data);
        policy.preCheck(module, target, selector, value);
        if (module.code.length == 0) revert ModuleWithoutCode(module);
        if (target.code.length == 0) revert TargetWithoutCode(target);
        if (address(this).balance < value) revert Errors.InsufficientBalance(address(this).balance, value);
    }

    /// @dev A trace that has its receipt, whoever wrote it, does not stop what
    /// was done under it: the event says that this receipt was not recorded.
    function _record(bytes32 traceIdHash, bytes32 contentHash, bytes32 subjectHash, string calldata uri)
        private
        returns (bool)
    {
        if (address(receipts) == address(0) || traceIdHash == 0 || receipts.isRecorded(traceIdHash)) return false;
        receipts.recordReceipt(traceIdHash, contentHash, subjectHash, uri);
        return true;
    }

    function _setPolicyEngine(IPolicyEngine policy_) private {
        if (address(policy_).code.length == 0) revert InvalidPolicyEngine(address(policy_));
        policy = policy_;
        emit PolicyEngineSet(address(policy_));
    }

    function _setReceiptRegistry(IReceiptRegistry receipts_) private {
        if (address(receipts_) != address(0) && address(receipts_).code.length == 0) {
            revert InvalidReceiptRegistry(address(receipts_));
        }
        receipts = receipts_;
        emit ReceiptRegistrySet(address(receipts_));
    }

    function _requireRecipient(address to) private pure {
        if (to == address(0)) revert InvalidRecipient(to);
    }
}
