/**
 * A name that changes its address between look-ups, as a name server of an attacker answers: the
 * first answer is the one that is checked, every later one leads to what must not be reached.
 */
import dns, { type LookupAddress } from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import { isIP, type LookupFunction } from 'node:net'
import type { Test } from 'tap'

const openAddress = '127.0.0.2'
const closedAddress = '127.0.0.1'

/** The look-up of one connection: the first answer is open, all others are not. */
export function turningName() {
  let asked = 0
  const answer = (): LookupAddress => ({
    address: asked++ === 0 ? openAddress : closedAddress,
    family: 4,
  })
  const lookup: LookupFunction = (_, options, done) => {
    const found = answer()
    if (options.all) process.nextTick(done, null, [found])
    else process.nextTick(done, null, found.address, found.family)
  }
  return { lookup, lookUp: async () => [answer()] }
}

/**
 * Node's own look-up, with which libraries resolve names, leads to what must not be reached. Returns
 * the names that were looked up with it.
 */
export function misleadNode(t: Test): readonly string[] {
  const asked: string[] = []
  const own = dns.lookup
  const set = (lookup: unknown) => {
    Object.assign(dns, { lookup })
    syncBuiltinESMExports()
  }
  set((name: string, ...rest: unknown[]) => {
    const done = rest.at(-1) as (...found: unknown[]) => void
    if (isIP(name) !== 0) return process.nextTick(done, null, name, isIP(name))
    asked.push(name)
    const isAll = (rest[0] as dns.LookupOptions | undefined)?.all === true
    if (isAll) process.nextTick(done, null, [{ address: closedAddress, family: 4 }])
    else process.nextTick(done, null, closedAddress, 4)
  })
  t.teardown(() => set(own))
  return asked
}
