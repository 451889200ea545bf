/** The server engine that this run of a test file uses: `run.ts` runs some files once for each. */
import { loadConfig } from '../../../runtime/config/config.ts'

const { SERVER_ENGINE: given } = process.env

export const { SERVER_ENGINE: serverEngine } = loadConfig({ SERVER_ENGINE: given })
