import type { ConsoleVisit } from '../visit.ts'

/** For people whose key lacks a scope. */
export const ConsoleForbiddenHint = ({ visit }: { visit: ConsoleVisit }) => (
  <p>
    See the scopes of your key under <a href={visit.at('/keys')}>Keys</a>. To do more, ask the
    operator for a key with the missing scope, then sign out and sign in with that key.
  </p>
)
