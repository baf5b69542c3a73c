/** What is typed into a field goes into the address when the typing rests; back and forward change the field, too. */
import { useEffect, useState } from 'preact/hooks';
import { queryField, setQuery } from '../shell/router.ts';

const REST_MS = 250;

/** `name` is of the query's field. */
export function useTypedQuery(name: string) {
  const inAddress = queryField(name);
  const [typed, setTyped] = useState(inAddress);
  useEffect(() => setTyped(inAddress), [inAddress]);
  useEffect(() => {
    if (typed.trim() === inAddress) return undefined;
    const timer = setTimeout(() => setQuery({ [name]: typed.trim() }, 'typed'), REST_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return { typed, setTyped };
}
