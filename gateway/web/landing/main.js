// Copy buttons of the start page, which works without them.
import { offerCopies } from '../shared/copying.js'

offerCopies(document)
