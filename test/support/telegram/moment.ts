/**
 * The moments of a call at which a test may end who makes it: before the call is carried out, after that and before its
 * answer, after the answer. A gate is told of each. When it says `cut`, the connection ends there, and a call that was only
 * asked is not carried out.
 */
export type Moment = 'asked' | 'carried out' | 'answered';

export type Gate = (step: string, moment: Moment) => 'cut' | undefined;
