/** The program's version: the package's, held against it by a test. */
export const PURSER_VERSION = '0.1.0';
