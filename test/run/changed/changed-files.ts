/** Which files differ from an earlier state of the repository, as git says. */
import { execFileSync } from 'node:child_process'

/**
 * Paths from the repository's root: committed since `since`, changed since the last commit, and new.
 * Without `since`: since this branch left the one that it is to be merged into, if it has one.
 */
export function changedFiles(root: string, since?: string): readonly string[] {
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  const lines = (text: string) => text.split('\n').filter(Boolean)
  const base = since ?? mergeBase(git) ?? 'HEAD'
  return [
    ...new Set([
      ...lines(git('diff', '--name-only', '--no-renames', base)),
      ...lines(git('ls-files', '--others', '--exclude-standard')),
    ]),
  ]
}

/** Undefined on a branch without an upstream, where only what is not committed yet counts. */
function mergeBase(git: (...args: readonly string[]) => string): string | undefined {
  try {
    return git('merge-base', 'HEAD', '@{upstream}').trim()
  } catch {
    return undefined
  }
}
