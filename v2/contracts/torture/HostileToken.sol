// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

interface IHook {
    function tokensReceived(address from, uint256 amount) external;
}

/// @title A token that does what tokens should not do
contract HostileToken {
    enum Transfer {
        Honest,
        ReturnsNothing,
        ReturnsFalse,
        ReturnsTwo,
        ReturnsShort,
        ReturnsBomb,
        Reverts,
        RevertsBomb,
        BurnsGas,
        MovesNothing,
        MovesOneLess,
        MovesHalf,
        FeeOffTop, // the recipient gets less
        FeeOnTop, // the sender pays more
        Mints, // the sender ends with more
        TellsRecipient
    }

    enum Balance {
        Honest,
        Reverts,
        ReturnsShort,
        ReturnsBomb,
        BurnsGas,
        Grows, // one more at each transfer asked for, to whoever looks
        RevertsWhenWarm, // at the second look in a transaction
        RevertsAfterTransfer
    }

    Transfer public transfers;
    Balance public balances;
    mapping(address => uint256) private _held;
    uint256 public asked;

    function setTransfer(Transfer t) external {
        transfers = t;
    }

    function setBalance(Balance b) external {
        balances = b;
    }

    /// @notice What somebody holds, as if by a rebase.
    function set(address who, uint256 amount) external {
        _held[who] = amount;
    }

    function held(address who) external view returns (uint256) {
        return _held[who];
    }

    function balanceOf(address who) external view returns (uint256) {
        if (balances == Balance.Reverts) revert("no balance");
        if (balances == Balance.ReturnsBomb) _bomb(true);
        if (balances == Balance.BurnsGas) _burn();
        if (balances == Balance.ReturnsShort) {
            assembly {
                return(0, 31)
            }
        }
        if (balances == Balance.RevertsWhenWarm) {
            uint256 gas = gasleft();
            uint256 held_ = _held[who];
            if (gas - gasleft() < 1000) revert("no balance");
            return held_;
        }
        if (balances == Balance.RevertsAfterTransfer && asked > 0) revert("no balance");
        if (balances == Balance.Grows) return _held[who] + asked;
        return _held[who];
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        Transfer t = transfers;
        asked++;
        if (t == Transfer.Reverts) revert("no transfer");
        if (t == Transfer.RevertsBomb) _bomb(false);
        if (t == Transfer.BurnsGas) _burn();
        _move(t, to, amount);
        if (t == Transfer.TellsRecipient) _tell(to, amount);
        if (t == Transfer.ReturnsFalse) return false;
        if (t == Transfer.ReturnsBomb) _bomb(true);
        if (t == Transfer.ReturnsNothing) {
            assembly {
                return(0, 0)
            }
        }
        if (t == Transfer.ReturnsTwo) {
            assembly {
                mstore(0, 2)
                return(0, 32)
            }
        }
        if (t == Transfer.ReturnsShort) {
            assembly {
                mstore(0, shl(255, 1))
                return(0, 31)
            }
        }
        return true;
    }

    function _move(Transfer t, address to, uint256 amount) private {
        if (t == Transfer.MovesNothing) return;
        uint256 off = amount;
        uint256 on = amount;
        if (t == Transfer.MovesOneLess) (off, on) = (amount - 1, amount - 1);
        if (t == Transfer.MovesHalf) (off, on) = (amount / 2, amount / 2);
        if (t == Transfer.FeeOffTop) on = amount - amount / 10;
        if (t == Transfer.FeeOnTop) off = amount + amount / 10;
        if (t == Transfer.Mints) {
            _held[msg.sender] += 1;
            return;
        }
        _held[msg.sender] -= off;
        _held[to] += on;
    }

    /// @dev Who does not listen is not told; who objects is heard.
    function _tell(address to, uint256 amount) private {
        (bool ok, bytes memory ret) = to.call(abi.encodeCall(IHook.tokensReceived, (msg.sender, amount)));
        if (!ok && ret.length > 0) {
            assembly {
                revert(add(ret, 32), mload(ret))
            }
        }
    }

    function _bomb(bool success) private pure {
        assembly {
            mstore(0, 1)
            if success { return(0, 1000000) }
            revert(0, 1000000)
        }
    }

    function _burn() private pure {
        assembly {
            invalid()
        }
    }
}
