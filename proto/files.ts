/** A session's files, as its agent tells of them on the data port. */
import type { Id } from './ids.ts'

export type FileId = Id<'fil'>

/** What was put in: for the page to take, or for agents to read. */
export interface StoredFile {
  readonly id: FileId
  /** As it lies on disk; of what came out of an archive, its path below the folder. */
  readonly name: string
  readonly bytes: number
  readonly createdAtMs: number
}

export const downloadStates = ['in_progress', 'completed', 'canceled'] as const
export type DownloadState = (typeof downloadStates)[number]

/** What the browser fetched. */
export interface DownloadedFile {
  readonly id: FileId
  readonly state: DownloadState
  readonly url: string
  /** Of the page it was started from; empty when that had gone already. */
  readonly pageUrl: string
  /** What the browser would have called it. */
  readonly name: string
  /** So far, while it is in progress. */
  readonly bytes: number
  readonly createdAtMs: number
  /** From its start to its end, or to now. */
  readonly durationMs: number
}

/** Where on the data port, as the `path` of a request of kind `files`. */
export const filePaths = {
  uploads: '/uploads',
  downloads: '/downloads',
  agent: '/agent',
} as const

/** The name of a file, percent-encoded, on its way to an agent and back. */
export const fileNameHeader = 'x-file-name'
