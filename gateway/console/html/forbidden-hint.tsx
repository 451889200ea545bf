import type { ConsoleVisit } from '../visit.ts'

/** For people whose key lacks a scope. */
export const ConsoleForbiddenHint = ({ visit }: { visit: ConsoleVisit }) => (
  <p>
    What your key may do is under <a href={visit.at('/keys')}>Keys</a>. To do more, ask the operator
    for a key with that scope, then sign out and sign in with it.
  </p>
)
