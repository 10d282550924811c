import type { Call, Options } from './options.js';
/** A request, ready to be sent as often as it must. */
export type Wanted = {
    method: 'GET' | 'POST';
    path: string;
    query?: object | undefined;
    body?: unknown;
    call?: Call | undefined;
    key?: string | null;
    /** Whether it may be sent again although no answer says what became of it. Absent: a GET, or one with a key. */
    repeatable?: boolean;
    /** Of an act without a key: reads whether it has been done. Null: it has not. Asked after a lost answer, before it is sent again or given up. */
    find?: () => Promise<object | null>;
    /** The moment after which no attempt begins or lasts, in milliseconds since 1970. */
    until?: number;
};
type Settings = Required<Pick<Options, 'key' | 'url' | 'timeoutMs' | 'retries'>> & Pick<Options, 'fetch' | 'onAttempt'> & {
    version: string;
};
/** Sends a request until it is answered or may not be repeated. @throws BandamaError */
export type Send = <T>(wanted: Wanted) => Promise<T>;
/** Waits, or until the signal: the next call then says that it ended. */
export declare function sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
/** @throws TypeError when a time or a number of attempts is none */
export declare function checkCall({ timeoutMs, retries }: Call): void;
/** Makes the sender of a client. The settings, with the key, stay inside. */
export declare function createSend(settings: Settings): Send;
export {};
