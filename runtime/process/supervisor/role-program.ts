import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Role } from '../../../proto/ids.ts'

/** The path of a role's compiled program. */
export function roleProgram(role: Role): URL {
  const program = new URL(`../../../${role}/main.js`, import.meta.url)
  if (!existsSync(fileURLToPath(program))) {
    throw new Error(`${fileURLToPath(program)} is missing: build with \`npm run build\``)
  }
  return program
}
