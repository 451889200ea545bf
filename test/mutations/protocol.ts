/**
 * Makes one mistake in the actor protocol at a time, and runs the test that must find it: `node
 * dist/test/mutations/protocol.js [WORD]`, all or those whose names have the word. Exits with 1 if
 * one was not found.
 */
import { join } from 'node:path'
import { t } from 'tap'
import { packageRoot } from '../../runtime/lib/package.ts'
import { passes, usualJobs } from './passes.ts'
import { placed, protocolFaults, type ProtocolFault } from './protocol-faults.ts'
import { openFaultyTree } from './tree.ts'

async function findAll(faults: readonly ProtocolFault[]): Promise<number> {
  const tree = openFaultyTree(packageRoot, join(packageRoot, '.out/protocol'))
  const jobs = usualJobs(tree.tests)
  let missed = 0
  for (const fault of faults) {
    const isMissed = await tree.with(placed(fault), () => passes(jobs.get(fault.foundBy)!), false)
    if (isMissed) missed++
    console.log(`${isMissed ? 'MISSED ' : 'found  '} ${fault.name}\n          by ${fault.foundBy}`)
  }
  tree.remove()
  return missed
}

// This process is not a test itself, so tap's limit of 30 seconds must not apply.
t.setTimeout(0)

const [word = ''] = process.argv.slice(2)
const chosen = protocolFaults.filter(({ name }) => name.includes(word))
const missed = await findAll(chosen)
console.log(`${chosen.length - missed} of ${chosen.length} mistakes in the protocol were found`)
process.exitCode = missed === 0 && chosen.length > 0 ? 0 : 1
