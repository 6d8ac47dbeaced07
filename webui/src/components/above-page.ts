// All that stands on the library for dialogs and menus; see overlays.ts.
export { default as ModalFrame } from './ModalFrame';
export { default as OpenMenu } from './OpenMenu';
