/** Goal: the state diagrams in the READMEs match the machines. `UPDATE_DIAGRAMS=1` redraws them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { actorKinds, type ActorDeps } from '../../../actors/registry.ts'
import { packageRoot } from '../../../runtime/lib/package.ts'
import { mermaidOf } from '../../helpers/runtime/mermaid.ts'

const folders = readdirSync(join(packageRoot, 'actors'), { recursive: true, encoding: 'utf8' })

/** A kind's folder has its name, anywhere below `actors/`. */
function readmeOf(kind: string): string {
  const folder = folders.find((path) => path === kind || path.endsWith(`/${kind}`))
  return join('actors', folder ?? kind, 'README.md')
}

for (const { protocol, machine } of actorKinds({} as ActorDeps)) {
  const path = readmeOf(protocol.kind)
  t.test(`${path} shows the machine as it is`, async (t) => {
    const file = join(packageRoot, path)
    const text = readFileSync(file, 'utf8')
    const fresh = text.replace(
      /```mermaid\n[^]*?\n```/,
      '```mermaid\n' + mermaidOf(machine) + '\n```',
    )
    if (process.env['UPDATE_DIAGRAMS']) writeFileSync(file, fresh)
    t.match(fresh, 'stateDiagram-v2', 'has a diagram')
    t.equal(text, fresh, 'run with UPDATE_DIAGRAMS=1 to redraw it')
  })
}
