/**
 * The address of the instance that made this package. An instance writes its own in place of the empty text; a package from elsewhere has none,
 * and its clients name a `url`.
 */
export declare const url: string;
/** The version of this package, for the user agent. */
export declare const version: string;
