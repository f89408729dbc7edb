// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/// @title A target that answers with far too much, or with nothing and all gas
contract Bomb {
    function big(uint256 size) external payable {
        assembly {
            return(0, size)
        }
    }

    function bigRevert(uint256 size) external payable {
        assembly {
            revert(0, size)
        }
    }

    function burn() external payable {
        assembly {
            invalid()
        }
    }

    function mute() external payable {
        assembly {
            revert(0, 0)
        }
    }

    receive() external payable {
        assembly {
            revert(0, 1000000)
        }
    }
}
