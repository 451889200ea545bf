/**
 * Goal: the state diagrams in the READMEs are those of the machines.
 * `UPDATE_DIAGRAMS=1` redraws them.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { sessionMachine } from '../../actors/session/machine.ts'
import { taskMachine } from '../../actors/task/machine.ts'
import { packageRoot } from '../../runtime/package.ts'
import { mermaidOf } from '../helpers/mermaid.ts'

const diagrams = {
  'actors/session/README.md': sessionMachine,
  'actors/task/README.md': taskMachine,
}

for (const [path, machine] of Object.entries(diagrams)) {
  t.test(`${path} shows the machine as it is`, async (t) => {
    const file = join(packageRoot, path)
    const text = readFileSync(file, 'utf8')
    const fresh = text.replace(
      /```mermaid\n[^]*?\n```/,
      '```mermaid\n' + mermaidOf(machine) + '\n```',
    )
    if (process.env['UPDATE_DIAGRAMS']) writeFileSync(file, fresh)
    t.match(text, '```mermaid', 'has a diagram')
    t.equal(text, fresh, 'run with UPDATE_DIAGRAMS=1 to redraw it')
  })
}
