/** Outputs that several commands share. */
import { z } from 'zod'

/** Nothing to tell but that it is done. */
export const done = z.object({})

/** A clipboard's or a selection's text. */
export const textOutput = z.object({ text: z.string() })
