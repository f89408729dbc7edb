// What is held in memory, of whatever comes.

/** The most events held; a bite of the oldest goes when it is passed. */
export const HOLD = 25_000;
export const BITE = 1000;
/** The most characters in the lines held. */
export const CHARS = 64 << 20;
