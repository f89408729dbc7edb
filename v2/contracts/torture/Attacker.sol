// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/// @title Whoever is called and calls back
/// @notice Stands in for a member, a module, a target, a policy, a registry or
/// the owner of an account. Whatever it is called with, it first makes the call
/// it was told to make, as often as it was told, then answers as it was told.
contract Attacker {
    enum Mode {
        Record, // goes on whatever became of the call, and writes it down
        Bubble, // reverts as the call did
        Silent // writes nothing, for where writing is not allowed
    }

    Mode public mode;
    address public victim;
    bytes public data;
    uint256 public value;
    uint256 public times;
    bytes public answer;
    bool public refuses;
    mapping(bytes4 => bytes) public answers;
    mapping(bytes4 => bool) public refusals;
    uint256 public giveBack;

    uint256 public attempts;
    uint256 public successes;
    bytes public lastFailure;
    bytes public lastAnswer;
    uint256 public calls;

    constructor() payable {}

    receive() external payable {
        _act();
    }

    fallback(bytes calldata) external payable returns (bytes memory) {
        _act();
        if (giveBack > 0) {
            (bool ok,) = msg.sender.call{value: giveBack}("");
            require(ok, "not taken back");
        }
        if (refusals[msg.sig]) revert("refused");
        return answers[msg.sig].length > 0 ? answers[msg.sig] : answer;
    }

    function plan(address victim_, bytes calldata data_, uint256 value_, uint256 times_, Mode mode_) external {
        (victim, data, value, times, mode) = (victim_, data_, value_, times_, mode_);
    }

    function answerWith(bytes calldata answer_) external {
        answer = answer_;
    }

    function answerTo(bytes4 selector, bytes calldata answer_) external {
        answers[selector] = answer_;
    }

    function refuseTo(bytes4 selector, bool refuses_) external {
        refusals[selector] = refuses_;
    }

    /// @notice Sends this much to each caller before it answers.
    function giveBackOf(uint256 amount) external {
        giveBack = amount;
    }

    function refuse(bool refuses_) external {
        refuses = refuses_;
    }

    /// @notice Calls anybody, as this contract.
    function run(address to, bytes calldata data_, uint256 value_) external payable returns (bytes memory) {
        (bool ok, bytes memory ret) = to.call{value: value_}(data_);
        if (!ok) _bubble(ret);
        return ret;
    }

    /// @notice Pays with no more gas than a log takes, as old contracts do.
    function stipend(address payable to) external payable {
        to.transfer(msg.value);
    }

    function onERC721Received(address, address, uint256, bytes calldata) external returns (bytes4) {
        _act();
        return this.onERC721Received.selector;
    }

    /// @notice Called by a token that tells its recipient.
    function tokensReceived(address, uint256) external {
        _act();
    }

    function _act() private {
        if (refuses) revert("refused");
        if (mode == Mode.Silent) {
            if (victim != address(0)) {
                (bool done, bytes memory why) = victim.call(data);
                if (!done) _bubble(why);
            }
            return;
        }
        calls++;
        if (times == 0) return;
        times--;
        attempts++;
        (bool ok, bytes memory ret) = victim.call{value: value}(data);
        if (ok) {
            successes++;
            lastAnswer = ret;
        } else if (mode == Mode.Bubble) {
            _bubble(ret);
        } else {
            lastFailure = ret;
        }
    }

    function _bubble(bytes memory ret) private pure {
        assembly {
            revert(add(ret, 32), mload(ret))
        }
    }
}
