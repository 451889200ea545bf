/** The blocks of the guides that are run: fenced blocks whose language is followed by `run`. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../../runtime/lib/package.ts'

export interface GuideBlock {
  readonly language: 'sh' | 'js' | 'python'
  readonly text: string
}

export interface Guide {
  readonly name: string
  readonly runs: readonly GuideBlock[]
  /** The languages of all fenced blocks. */
  readonly languages: readonly string[]
}

const folder = join(packageRoot, 'gateway/docs/guides')

export const guides: readonly Guide[] = readdirSync(folder)
  .filter((name) => name.endsWith('.md'))
  .map((file) => {
    const text = readFileSync(join(folder, file), 'utf8')
    const blocks = [...text.matchAll(/^```(\w+)( run)?\n(.*?)^```$/gms)]
    return {
      name: file.slice(0, -'.md'.length),
      languages: blocks.map(([, language = '']) => language),
      runs: blocks.flatMap(([, language, run, text = '']) =>
        run === undefined ? [] : [{ language: language as GuideBlock['language'], text }],
      ),
    }
  })
