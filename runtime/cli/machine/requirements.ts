/** What the machine needs besides Node: the list that setup.sh installs from. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../lib/package.ts'

interface Needed {
  /** `desktop`, `recording`: for sessions with those; `test` and `bench`: only for those. */
  readonly usedBy: 'service' | 'desktop' | 'recording' | 'test' | 'bench'
  readonly debianPackage: string
}

export interface NeededProgram extends Needed {
  readonly program: string
}

/** Any font that covers a language. */
export interface NeededFont extends Needed {
  /** The language's name in fontconfig. */
  readonly language: string
  readonly script: string
  /** A character of its script. */
  readonly character: string
}

export interface Requirements {
  readonly programs: readonly NeededProgram[]
  readonly fonts: readonly NeededFont[]
}

const file = join(packageRoot, 'runtime', 'deploy', 'debian-packages.txt')
const users: readonly Needed['usedBy'][] = ['service', 'desktop', 'recording', 'test', 'bench']

export function readRequirements(): Requirements {
  const programs: NeededProgram[] = []
  const fonts: NeededFont[] = []
  for (const row of readFileSync(file, 'utf8').split('\n')) {
    if (row === '' || row.startsWith('#')) continue
    const [user, kind, what, debianPackage, script, character] = row.split(/\s+/)
    const usedBy = users.find((one) => one === user)
    if (!usedBy || !what || !debianPackage) throw new Error(`${file}: ${row}`)
    if (kind === 'program') programs.push({ usedBy, program: what, debianPackage })
    else if (kind === 'font' && script && character) {
      fonts.push({ usedBy, language: what, debianPackage, script, character })
    } else throw new Error(`${file}: ${row}`)
  }
  return { programs, fonts }
}
