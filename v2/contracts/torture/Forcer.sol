// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/// @title Pays somebody who is not asked
contract Forcer {
    constructor(address payable to) payable {
        selfdestruct(to);
    }
}
