// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

/// @title A vault that members share by fixed shares
/// @notice Whatever comes in belongs to the members, each by their share of all
/// that ever came in. Members and shares can't change and nobody administers
/// the vault. Anyone may release for a member; it always goes to the member.
contract PodVault is ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    /// @notice The most members; the constructor has to fit a block.
    uint256 public constant MAX_MEMBERS = 64;

    /// @notice The sum of all shares.
    uint256 public totalShares;

    /// @notice The shares of an account; 0 for one that is no member.
    mapping(address member => uint256) public shares;

    /// @notice Native currency released, to all and to a member.
    uint256 public totalReleasedNative;
    mapping(address member => uint256) public releasedNative;

    /// @notice Tokens released, to all and to a member.
    mapping(address token => uint256) public totalReleasedToken;
    mapping(address token => mapping(address member => uint256)) public releasedToken;

    address[] private _members;

    event MemberAdded(address indexed member, uint256 shares);
    event PaymentReceived(address indexed from, uint256 amount);
    event PaymentReleased(address indexed to, uint256 amount);
    event ERC20PaymentReleased(address indexed token, address indexed to, uint256 amount);

    error NoMembers();
    error TooManyMembers(uint256 count);
    error SharesDoNotMatchMembers(uint256 members, uint256 shares);

    /// @notice Nobody, or the vault itself, whose payments to itself would count
    /// as released and as received again.
    error InvalidMember(address member);

    error ZeroShares(address member);
    error DuplicateMember(address member);
    error NotAMember(address account);
    error NothingToRelease(address member);

    /// @notice The token said that it paid, but the vault holds no less of it.
    error TokenNotMoved(address token);

    constructor(address[] memory members, uint256[] memory shares_) payable {
        if (members.length != shares_.length) revert SharesDoNotMatchMembers(members.length, shares_.length);
        if (members.length == 0) revert NoMembers();
        if (members.length > MAX_MEMBERS) revert TooManyMembers(members.length);
        for (uint256 i = 0; i < members.length; ++i) {
            _add(members[i], shares_[i]);
        }
        if (msg.value > 0) emit PaymentReceived(msg.sender, msg.value);
    }

    receive() external payable {
        emit PaymentReceived(msg.sender, msg.value);
    }

    /// @notice Pays a member what it is due in native currency.
    function releaseNative(address member) external nonReentrant {
        uint256 amount = pendingNative(member);
        if (amount == 0) revert NothingToRelease(member);
        releasedNative[member] += amount;
        totalReleasedNative += amount;
        emit PaymentReleased(member, amount);
        Address.sendValue(payable(member), amount);
    }

    /// @notice Pays a member what it is due of a token.
    /// @dev What is written down is what left the vault, if that is more than the
    /// token was asked to move: a fee on top is paid for by the member whom it was
    /// moved to, not by the others. It is never less: a member whom the token tells
    /// of the payment can have somebody pay the vault meanwhile, and what comes in
    /// must not pass for what stayed.
    function releaseToken(address token, address member) external nonReentrant {
        uint256 amount = pendingToken(token, member);
        if (amount == 0) revert NothingToRelease(member);
        // Written first, as if the token kept to it, for whoever looks meanwhile.
        uint256 released = releasedToken[token][member];
        uint256 total = totalReleasedToken[token];
        releasedToken[token][member] = released + amount;
        totalReleasedToken[token] = total + amount;

        uint256 before = IERC20(token).balanceOf(address(this));
        IERC20(token).safeTransfer(member, amount);
        uint256 rest = IERC20(token).balanceOf(address(this));
        if (rest >= before) revert TokenNotMoved(token);

        uint256 moved = Math.max(amount, before - rest);
        releasedToken[token][member] = released + moved;
        totalReleasedToken[token] = total + moved;
        emit ERC20PaymentReleased(token, member, moved);
    }

    /// @notice What a member can have released now, in native currency.
    function pendingNative(address member) public view returns (uint256) {
        return _pending(member, address(this).balance, totalReleasedNative, releasedNative[member]);
    }

    /// @notice What a member can have released now, of a token.
    function pendingToken(address token, address member) public view returns (uint256) {
        uint256 balance = IERC20(token).balanceOf(address(this));
        return _pending(member, balance, totalReleasedToken[token], releasedToken[token][member]);
    }

    function memberCount() external view returns (uint256) {
        return _members.length;
    }

    /// @notice A member by its place, from 0.
    function memberAt(uint256 index) external view returns (address) {
        return _members[index];
    }

    /// @dev All that came in is what is there and what was released. Rounding
    /// down leaves less than one unit a member behind. A token's balance may
    /// shrink by itself: then a member can have had more than its share of what
    /// is left, is due nothing, and nobody is due more than is there.
    function _pending(address member, uint256 balance, uint256 totalReleased, uint256 released)
        private
        view
        returns (uint256)
    {
        if (shares[member] == 0) revert NotAMember(member);
        uint256 received = Math.saturatingAdd(balance, totalReleased);
        uint256 due = Math.mulDiv(received, shares[member], totalShares);
        return Math.min(Math.saturatingSub(due, released), balance);
    }

    function _add(address member, uint256 shares_) private {
        if (member == address(0) || member == address(this)) revert InvalidMember(member);
        if (shares_ == 0) revert ZeroShares(member);
        if (shares[member] != 0) revert DuplicateMember(member);
        _members.push(member);
        shares[member] = shares_;
        totalShares += shares_;
        emit MemberAdded(member, shares_);
    }
}
