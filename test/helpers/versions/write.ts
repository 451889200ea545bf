/**
 * Stores what the sources log and send as `test/fixtures/versions/<version>.json`, once for each
 * release: `node dist/test/helpers/versions/write.js X.Y.Z`.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { encode } from '../../../proto/codec.ts'
import { version } from '../../../runtime/lib/package.ts'
import { toText, versionsFolder, type VersionFixture } from './fixture.ts'
import { bareKinds, lifeOf, messagesOf } from './samples.ts'

const kinds = bareKinds()
const session = kinds.find(({ protocol }) => protocol.kind === 'session')!
const fixture: VersionFixture = {
  lives: Object.fromEntries(
    kinds.map((kind) => [kind.protocol.kind, lifeOf(kind).map((sample) => toText(encode(sample)))]),
  ),
  messages: toText(encode(messagesOf(session.rehearsal.input))),
}
const path = join(versionsFolder, `${process.argv[2] ?? version}.json`)
writeFileSync(path, `${JSON.stringify(fixture, undefined, 2)}\n`)
console.log(path)
