/** The functions of `in-page/masking/masking.ts`, for the documents of a session with a mask. */
import { installedFunctions, sentFunctions } from '../../runtime/browser-host/page-functions.ts'
import type * as masking from '../in-page/masking/masking.ts'

export const inMaskedPage = installedFunctions<typeof masking>('masking')
/** For scripts that run before a document has anything of ours. */
export const sentToMaskedPage = sentFunctions<typeof masking>('masking')
