import { linkList } from '../../checkout/console/link-list.ts'
import { fileScreen } from '../lists/list-screens.ts'

/** The file of the links. Their list is in `checkout/console/`. */
export const linkExportScreens = [fileScreen(linkList)] as const
