/** The stored samples of a version: bytes as they are in the log and on the wire, in base64. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { packageRoot } from '../../../runtime/lib/package.ts'

export const versionsFolder = join(packageRoot, 'test/fixtures/versions')

export interface VersionFixture {
  /** By kind: each entry of one life, in order; a `LifeSample`. */
  readonly lives: Readonly<Record<string, readonly string[]>>
  /** `SampleMessages` */
  readonly messages: string
}

export const versionFixtures = (): readonly (readonly [version: string, VersionFixture])[] =>
  readdirSync(versionsFolder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => [
      basename(name, '.json'),
      JSON.parse(readFileSync(join(versionsFolder, name), 'utf8')) as VersionFixture,
    ])

export const toText = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
export const toBytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'))
