/** A session's files as its agent lists them on the data port. */
import type { Id } from '../ids.ts'

export type FileId = Id<'fil'>

/** An uploaded file, for the page or for agents. */
export interface StoredFile {
  readonly id: FileId
  /** Its name on disk; for an entry of an archive, the path below the archive's folder. */
  readonly name: string
  readonly bytes: number
  readonly createdAtMs: number
}

export const downloadStates = ['in_progress', 'completed', 'canceled'] as const
export type DownloadState = (typeof downloadStates)[number]

/** A file that the browser downloaded. */
export interface DownloadedFile {
  readonly id: FileId
  readonly state: DownloadState
  readonly url: string
  /** URL of the page that started the download; empty if the page was already gone. */
  readonly pageUrl: string
  /** The name that the browser suggested. */
  readonly name: string
  /** While it is in progress, the bytes received so far. */
  readonly bytes: number
  readonly createdAtMs: number
  /** From its start to its end, or until now. */
  readonly durationMs: number
}

/** Paths on the data port, the `path` of a request of kind `files`. */
export const filePaths = {
  uploads: '/uploads',
  downloads: '/downloads',
  agent: '/agent',
} as const

/** Carries a file's name, percent-encoded, to and from an agent. */
export const fileNameHeader = 'x-file-name'
