/** A field whose text goes into the address when the typing rests; back and forward change the field, too. */
import { useEffect, useState } from 'preact/hooks';
import { queryField, setQuery } from '../../shell/router.ts';

const REST_MS = 250;

/** `name` is that of the query's field. A text that is not usable stays in the field alone. */
export function useTypedQuery(name: string, isUsable: (text: string) => boolean = () => true) {
  const inAddress = queryField(name);
  const [typed, setTyped] = useState(inAddress);
  useEffect(() => setTyped(inAddress), [inAddress]);
  useEffect(() => {
    if (typed.trim() === inAddress || !isUsable(typed.trim())) return undefined;
    const timer = setTimeout(() => setQuery({ [name]: typed.trim() }, 'typed'), REST_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return { typed, setTyped };
}
