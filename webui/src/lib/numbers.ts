// Numbers of experiments, trials and the like, as addresses have them.
const kNumber = /^[1-9]\d{0,8}$/;

export const isNumber = (text: string) => kNumber.test(text);
