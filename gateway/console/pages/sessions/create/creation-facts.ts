/** The facts about this visitor that code samples depend on. */
import { devKey } from '../../../../../proto/accounts/dev-key.ts'
import { devKeyId } from '../../../../../proto/accounts/key.ts'
import type { ConsoleVisit } from '../../../visit.ts'
import type { CreationFacts } from '../../../../html/code/code-lines.ts'

export function creationFacts({ deps, facts }: ConsoleVisit): Omit<CreationFacts, 'body'> {
  const { addresses, devKeyRule } = deps
  const usesDevKey = facts.principal.keyId === devKeyId && devKeyRule.wellKnown === devKey
  return { origin: addresses.http(facts.request), usesDevKey }
}
